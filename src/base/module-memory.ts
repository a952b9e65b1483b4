/**
 * Memories of our modules. They are declared as shared, though nobody shares them: V8 counts the bytes of others as in use by
 * JavaScript, and the guest's four gigabytes made it collect all garbage when a program had just begun
 * (docs/adr/0012-start-up.md).
 */
export function createMemory(pages: number, most = pages): WebAssembly.Memory {
  const limits = { initial: pages, maximum: most, shared: true };
  return new WebAssembly.Memory(limits);
}
