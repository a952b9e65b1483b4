/** Blackout's version, as reports, journals and witnesses name it. */
export const blackoutVersion = "0.1.0";
