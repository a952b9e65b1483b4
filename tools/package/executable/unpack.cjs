/**
 * The program of the executable: unpacks what it carries into a folder of the user's, once for each build, and runs that. Always:
 * - The folder is the user's alone, and appears as a whole; one that is somebody else's is not used.
 * - Blackout's own cache is where the folder lies, so that BLACKOUT_CACHE and XDG_CACHE_HOME move it too.
 */
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { createRequire } = require("node:module");
const { getAsset } = require("node:sea");
const { gunzipSync } = require("node:zlib");

function isMine(folder) {
  try {
    const { uid, mode } = fs.lstatSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0 && fs.lstatSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/** Where there is no home to write to, beside other temporary files. */
function* places() {
  const { BLACKOUT_CACHE: own, XDG_CACHE_HOME: cache, HOME: home } = process.env;
  if (own !== undefined && path.isAbsolute(own)) yield own;
  if (cache !== undefined && path.isAbsolute(cache)) yield path.join(cache, "blackout");
  if (home !== undefined && path.isAbsolute(home)) yield path.join(home, ".cache/blackout");
  yield path.join(os.tmpdir(), `blackout-${process.getuid()}`);
}

/** The archive is a length, an index of paths with sizes and modes, and the files one after another. */
function unpack(archive, folder) {
  const length = archive.readUInt32LE(0);
  let at = 4 + length;
  for (const { name, size, mode } of JSON.parse(archive.toString("utf8", 4, at))) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, archive.subarray(at, at + size), { mode, flag: "wx" });
    at += size;
  }
}

function unpacked(build) {
  for (const place of places()) {
    const folder = path.join(place, `executable-${build}`);
    if (isMine(folder)) return folder;
    try {
      fs.mkdirSync(place, { recursive: true, mode: 0o700 });
      if (!isMine(place)) continue;
      const fresh = fs.mkdtempSync(`${folder}.`);
      unpack(gunzipSync(getAsset("archive")), fresh);
      try {
        fs.renameSync(fresh, folder);
      } catch {
        // Another process was first.
        fs.rmSync(fresh, { recursive: true, force: true });
      }
      if (isMine(folder)) return folder;
    } catch {
      // No room, or no right to write: the next place may do.
    }
  }
  process.stderr.write("blackout: there is no folder to unpack to: set BLACKOUT_CACHE to one that can be written.\n");
  process.exit(2);
}

createRequire(path.join(unpacked(getAsset("build", "utf8")), "package/"))("./blackout.cjs");
