/** What must hold before a version is published, as sentences of what does not. */

/**
 * @param {{ manifest: string, lock: string, source: string, changelog: string, status: string, tags: readonly string[] }} facts
 *   Versions as package.json, package-lock.json and the sources have them; what git says of the tree, and which tags are at it.
 * @returns {readonly string[]}
 */
export function releaseComplaints({ manifest, lock, source, changelog, status, tags }) {
  const tag = `v${manifest}`;
  const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog)?.[1]?.trim() ?? "";
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  const [first] = headings.filter((heading) => heading !== "Unreleased");
  return [
    [/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(manifest), `package.json has "${manifest}", which is no version`],
    [lock === manifest, `package-lock.json has version ${lock}, package.json ${manifest}`],
    [source === manifest, `the sources have version ${source}, package.json ${manifest}`],
    [
      first?.startsWith(manifest) === true,
      `CHANGELOG.md begins with "${first ?? ""}": give it a heading for ${manifest}`,
    ],
    [unreleased === "", `CHANGELOG.md still has lines under Unreleased: move them below ${manifest}`],
    [status === "", "there are changes that are not committed"],
    [tags.includes(tag), `no tag ${tag} is at what is checked out: git tag ${tag}`],
  ].flatMap(([holds, complaint]) => (holds ? [] : [complaint]));
}
