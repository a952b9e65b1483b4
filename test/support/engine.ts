/** Tests compile with the switches that the command sets, and verify every block that they lift. */
import { verifyOwnWork } from "../../src/base/index.ts";
import { tuneEngine } from "../../src/host/index.ts";

tuneEngine();
verifyOwnWork();
