/** Code that cannot be encoded: what it is, and where it stands. The address becomes a function and a line where it is reported. */
export class Unencodable extends Error {
  override readonly name = "Unencodable";
  readonly address: number;

  constructor(why: string, address: number) {
    super(why);
    this.address = address;
  }
}
