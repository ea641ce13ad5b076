/** Does one piece of a loop. The compiler plug-in (scripts/seam.mjs) writes the body anew at every compilation: a switch over all functions
 *  that are marked with @piece. It is empty here, so that pool and pieces do not import each other. */
export function runPiece(loop: i32, piece: i32): void {
  unreachable()
}
