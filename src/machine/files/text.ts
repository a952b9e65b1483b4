/** Byte strings (one character per byte) to bytes and back. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function byteString(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return text;
}

/** A path the user typed, as the guest's kernel sees it: its UTF-8 bytes. */
export const pathFromText = (text: string): string => byteString(new TextEncoder().encode(text));

/** A guest's path for people to read. */
export const textFromPath = (path: string): string => new TextDecoder().decode(bytesOf(path));
