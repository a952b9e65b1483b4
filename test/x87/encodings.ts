/** How each x87 row is encoded natively (SDM vol. 2, appendix A.5) and what its memory operand is. */

export interface Encoding {
  readonly name: string;
  /** Opcode bytes; a memory operand is [rdi], a register operand is added to the last byte. */
  readonly bytes: readonly number[];
  /** Bytes read from or written to memory. */
  readonly load?: number;
  readonly store?: number;
  readonly register?: boolean;
  /** The condition of FCMOVcc over RFLAGS. */
  readonly condition?: (flags: bigint) => boolean;
  readonly result?: "eflags" | "ax";
}

const memory = (opcode: number, digit: number): number[] => [opcode, (digit << 3) | 7];
const CF = 1n;
const PF = 4n;
const ZF = 0x40n;

const families = ["add", "mul", "com", "comp", "sub", "subr", "div", "divr"];
const memoryFamilies = [
  { opcode: 0xd8, prefix: "F", operand: "m32fp", load: 4 },
  { opcode: 0xda, prefix: "Fi", operand: "m32int", load: 4 },
  { opcode: 0xdc, prefix: "F", operand: "m64fp", load: 8 },
  { opcode: 0xde, prefix: "Fi", operand: "m16int", load: 2 },
].flatMap(({ opcode, prefix, operand, load }) =>
  families.map(
    (name, digit): Encoding => ({
      name: `${prefix}${name}_${operand}`,
      bytes: memory(opcode, digit),
      load,
    }),
  ),
);

// biome-ignore format: columns stay aligned
const memoryRows: readonly Encoding[] = [
  { name: "Fld_m32fp",       bytes: memory(0xd9, 0), load: 4 },
  { name: "Fst_m32fp",       bytes: memory(0xd9, 2), store: 4 },
  { name: "Fstp_m32fp",      bytes: memory(0xd9, 3), store: 4 },
  { name: "Fldenv_m28byte",  bytes: memory(0xd9, 4), load: 28 },
  { name: "Fldenv_m14byte",  bytes: [0x66, ...memory(0xd9, 4)], load: 14 },
  { name: "Fldcw_m2byte",    bytes: memory(0xd9, 5), load: 2 },
  { name: "Fnstenv_m28byte", bytes: memory(0xd9, 6), store: 28 },
  { name: "Fnstenv_m14byte", bytes: [0x66, ...memory(0xd9, 6)], store: 14 },
  { name: "Fnstcw_m2byte",   bytes: memory(0xd9, 7), store: 2 },
  { name: "Fild_m32int",     bytes: memory(0xdb, 0), load: 4 },
  { name: "Fisttp_m32int",   bytes: memory(0xdb, 1), store: 4 },
  { name: "Fist_m32int",     bytes: memory(0xdb, 2), store: 4 },
  { name: "Fistp_m32int",    bytes: memory(0xdb, 3), store: 4 },
  { name: "Fld_m80fp",       bytes: memory(0xdb, 5), load: 10 },
  { name: "Fstp_m80fp",      bytes: memory(0xdb, 7), store: 10 },
  { name: "Fld_m64fp",       bytes: memory(0xdd, 0), load: 8 },
  { name: "Fisttp_m64int",   bytes: memory(0xdd, 1), store: 8 },
  { name: "Fst_m64fp",       bytes: memory(0xdd, 2), store: 8 },
  { name: "Fstp_m64fp",      bytes: memory(0xdd, 3), store: 8 },
  { name: "Frstor_m108byte", bytes: memory(0xdd, 4), load: 108 },
  { name: "Frstor_m94byte",  bytes: [0x66, ...memory(0xdd, 4)], load: 94 },
  { name: "Fnsave_m108byte", bytes: memory(0xdd, 6), store: 108 },
  { name: "Fnsave_m94byte",  bytes: [0x66, ...memory(0xdd, 6)], store: 94 },
  { name: "Fnstsw_m2byte",   bytes: memory(0xdd, 7), store: 2 },
  { name: "Fild_m16int",     bytes: memory(0xdf, 0), load: 2 },
  { name: "Fisttp_m16int",   bytes: memory(0xdf, 1), store: 2 },
  { name: "Fist_m16int",     bytes: memory(0xdf, 2), store: 2 },
  { name: "Fistp_m16int",    bytes: memory(0xdf, 3), store: 2 },
  { name: "Fbld_m80bcd",     bytes: memory(0xdf, 4), load: 10 },
  { name: "Fild_m64int",     bytes: memory(0xdf, 5), load: 8 },
  { name: "Fbstp_m80bcd",    bytes: memory(0xdf, 6), store: 10 },
  { name: "Fistp_m64int",    bytes: memory(0xdf, 7), store: 8 },
  { name: "Fxsave_m512byte",    bytes: [0x0f, ...memory(0xae, 0)], store: 160 },
  { name: "Fxrstor_m512byte",   bytes: [0x0f, ...memory(0xae, 1)], load: 160 },
  { name: "Fxsave64_m512byte",  bytes: [0x48, 0x0f, ...memory(0xae, 0)], store: 160 },
  { name: "Fxrstor64_m512byte", bytes: [0x48, 0x0f, ...memory(0xae, 1)], load: 160 },
];

const register = (name: string, ...bytes: number[]): Encoding => ({ name, bytes, register: true });
const move = (name: string, condition: (flags: bigint) => boolean, ...bytes: number[]): Encoding => ({
  name,
  bytes,
  register: true,
  condition,
});

// biome-ignore format: columns stay aligned
const registerRows: readonly Encoding[] = [
  ...families.map((name, i) => register(`F${name}_st0_sti`, 0xd8, 0xc0 + 8 * i)),
  register("Fld_sti",            0xd9, 0xc0),
  register("Fxch_st0_sti",       0xd9, 0xc8),
  register("Fstpnce_sti",        0xd9, 0xd8),
  register("Fadd_sti_st0",       0xdc, 0xc0),
  register("Fmul_sti_st0",       0xdc, 0xc8),
  register("Fcom_st0_sti_DCD0",  0xdc, 0xd0),
  register("Fcomp_st0_sti_DCD8", 0xdc, 0xd8),
  register("Fsubr_sti_st0",      0xdc, 0xe0),
  register("Fsub_sti_st0",       0xdc, 0xe8),
  register("Fdivr_sti_st0",      0xdc, 0xf0),
  register("Fdiv_sti_st0",       0xdc, 0xf8),
  register("Ffree_sti",          0xdd, 0xc0),
  register("Fxch_st0_sti_DDC8",  0xdd, 0xc8),
  register("Fst_sti",            0xdd, 0xd0),
  register("Fstp_sti",           0xdd, 0xd8),
  register("Fucom_st0_sti",      0xdd, 0xe0),
  register("Fucomp_st0_sti",     0xdd, 0xe8),
  register("Faddp_sti_st0",      0xde, 0xc0),
  register("Fmulp_sti_st0",      0xde, 0xc8),
  register("Fcomp_st0_sti_DED0", 0xde, 0xd0),
  register("Fsubrp_sti_st0",     0xde, 0xe0),
  register("Fsubp_sti_st0",      0xde, 0xe8),
  register("Fdivrp_sti_st0",     0xde, 0xf0),
  register("Fdivp_sti_st0",      0xde, 0xf8),
  register("Ffreep_sti",         0xdf, 0xc0),
  register("Fxch_st0_sti_DFC8",  0xdf, 0xc8),
  register("Fstp_sti_DFD0",      0xdf, 0xd0),
  register("Fstp_sti_DFD8",      0xdf, 0xd8),
  { ...register("Fucomi_st0_sti",  0xdb, 0xe8), result: "eflags" },
  { ...register("Fcomi_st0_sti",   0xdb, 0xf0), result: "eflags" },
  { ...register("Fucomip_st0_sti", 0xdf, 0xe8), result: "eflags" },
  { ...register("Fcomip_st0_sti",  0xdf, 0xf0), result: "eflags" },
  move("Fcmovb_st0_sti",   (f) => (f & CF) !== 0n,        0xda, 0xc0),
  move("Fcmove_st0_sti",   (f) => (f & ZF) !== 0n,        0xda, 0xc8),
  move("Fcmovbe_st0_sti",  (f) => (f & (CF | ZF)) !== 0n, 0xda, 0xd0),
  move("Fcmovu_st0_sti",   (f) => (f & PF) !== 0n,        0xda, 0xd8),
  move("Fcmovnb_st0_sti",  (f) => (f & CF) === 0n,        0xdb, 0xc0),
  move("Fcmovne_st0_sti",  (f) => (f & ZF) === 0n,        0xdb, 0xc8),
  move("Fcmovnbe_st0_sti", (f) => (f & (CF | ZF)) === 0n, 0xdb, 0xd0),
  move("Fcmovnu_st0_sti",  (f) => (f & PF) === 0n,        0xdb, 0xd8),
];

const plain = (name: string, ...bytes: number[]): Encoding => ({ name, bytes });

// biome-ignore format: columns stay aligned
const plainRows: readonly Encoding[] = [
  plain("Fnop",    0xd9, 0xd0), plain("Fchs",    0xd9, 0xe0), plain("Fabs",    0xd9, 0xe1),
  plain("Ftst",    0xd9, 0xe4), plain("Fxam",    0xd9, 0xe5), plain("Fld1",    0xd9, 0xe8),
  plain("Fldl2t",  0xd9, 0xe9), plain("Fldl2e",  0xd9, 0xea), plain("Fldpi",   0xd9, 0xeb),
  plain("Fldlg2",  0xd9, 0xec), plain("Fldln2",  0xd9, 0xed), plain("Fldz",    0xd9, 0xee),
  plain("Fxtract", 0xd9, 0xf4), plain("Fprem1",  0xd9, 0xf5), plain("Fdecstp", 0xd9, 0xf6),
  plain("Fincstp", 0xd9, 0xf7), plain("Fprem",   0xd9, 0xf8), plain("Fsqrt",   0xd9, 0xfa),
  plain("Frndint", 0xd9, 0xfc), plain("Fscale",  0xd9, 0xfd), plain("Fucompp", 0xda, 0xe9),
  plain("Fneni",   0xdb, 0xe0), plain("Fndisi",  0xdb, 0xe1), plain("Fnclex",  0xdb, 0xe2),
  plain("Fninit",  0xdb, 0xe3), plain("Fnsetpm", 0xdb, 0xe4), plain("Fcompp",  0xde, 0xd9),
  plain("Wait",    0x9b),
  { ...plain("Fnstsw_AX", 0xdf, 0xe0), result: "ax" },
];

// biome-ignore format: columns stay aligned
export const transcendentalEncodings: readonly Encoding[] = [
  plain("F2xm1",   0xd9, 0xf0), plain("Fyl2x",   0xd9, 0xf1), plain("Fptan",   0xd9, 0xf2),
  plain("Fpatan",  0xd9, 0xf3), plain("Fyl2xp1", 0xd9, 0xf9), plain("Fsincos", 0xd9, 0xfb),
  plain("Fsin",    0xd9, 0xfe), plain("Fcos",    0xd9, 0xff),
];

export const encodings: readonly Encoding[] = [...memoryFamilies, ...memoryRows, ...registerRows, ...plainRows];
