/** A page of somebody else, with Peel in it. */
import * as peelWeb from 'peel/web'

declare global {
  interface Window {
    peelWeb: typeof peelWeb
  }
}

window.peelWeb = peelWeb
