/**
 * What a solver asks a theory of our own. The solver decides atoms, booleans numbered from 1, and tells the theory; the theory
 * says what follows. Always:
 * - A literal is an atom's number, negative when the atom is false.
 * - What the theory is told is taken back in the opposite order, level by level; nothing else undoes it.
 * - A consequence follows from literals that hold now, and from nothing else; its reasons are as few as the theory finds.
 */
export type Literal = number;

/** An edge or fact that needs no reason. */
export const ALWAYS: Literal = 0;

/** `because` all hold; then so does `implied`. 0: they cannot all hold. */
export interface Consequence {
  readonly because: readonly Literal[];
  readonly implied: Literal;
}

export interface Theory {
  /** How many atoms there are: 1 to this. */
  readonly atoms: number;
  push(): void;
  pop(levels: number): void;
  /** A literal holds from here on. Called once for each atom on the way to a level. */
  assign(literal: Literal): void;
  /** The next thing that follows, until there is none. After a contradiction, nothing is asked before a `pop`. */
  next(): Consequence | undefined;
}
