declare const brand: unique symbol;
/** An index into one table; ids of different tables do not mix. */
export type Id<Table extends string> = number & { readonly [brand]: Table };

export type Seq = Id<"Seq">; // position in the trace
export type Line = Id<"Line">; // guest address / 64
export type Site = Id<"Site">; // code address → function → source line
export type ThreadId = Id<"Thread">;
