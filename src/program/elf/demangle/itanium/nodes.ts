/** What a mangled C++ name describes, as a tree; the grammar is the Itanium C++ ABI's, chapter 5.1. */

export type Node =
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "tagged"; readonly name: Node; readonly tag: string }
  | { readonly kind: "qualified"; readonly scope: Node; readonly name: Node }
  | { readonly kind: "template"; readonly name: Node; readonly args: readonly Node[] }
  /** A constructor or destructor; `of` gives the class its name. */
  | { readonly kind: "structor"; readonly destructor: boolean; readonly of: Node }
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "conversion"; readonly type: Node }
  | { readonly kind: "lambda"; readonly params: readonly Node[]; readonly index: number }
  /** A name with what its function type adds: parameters, qualifiers, and for templates the result. */
  | {
      readonly kind: "encoding";
      readonly name: Node;
      readonly result: Node | undefined;
      readonly params: readonly Node[];
      readonly suffix: string;
      /** What template parameters stand for in it; undefined when the name is no template's. */
      readonly templateArgs: readonly Node[] | undefined;
    }
  /** Text and nodes printed in order: special names and most expressions. */
  | { readonly kind: "sequence"; readonly parts: readonly (string | Node)[] }
  | { readonly kind: "commas"; readonly items: readonly Node[] }
  /** The pieces of declarators. */
  | { readonly kind: "pointer"; readonly mark: "*" | "&" | "&&"; readonly of: Node }
  | { readonly kind: "suffixed"; readonly suffix: string; readonly of: Node }
  | { readonly kind: "member-pointer"; readonly of: Node; readonly owner: Node }
  | { readonly kind: "array"; readonly dimension: Node | undefined; readonly of: Node }
  | {
      readonly kind: "function";
      readonly result: Node | undefined;
      readonly params: readonly Node[];
      readonly suffix: Node;
    }
  /** The arguments given for a parameter pack, as one template argument. */
  | { readonly kind: "pack"; readonly items: readonly Node[] }
  /** `T_`: what it stands for depends on the template whose signature it is printed in. */
  | { readonly kind: "param"; readonly index: number }
  /** sizeof...(pack), a number once the pack is known. */
  | { readonly kind: "pack-size"; readonly of: Node }
  | { readonly kind: "expansion"; readonly of: Node }
  | { readonly kind: "parens"; readonly of: Node };

export const name = (text: string): Node => ({ kind: "name", text });
export const sequence = (...parts: readonly (string | Node)[]): Node => ({ kind: "sequence", parts });
export const nothing: Node = { kind: "sequence", parts: [] };
