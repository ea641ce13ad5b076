/** The flag that sets the colours of liquid in pictures. */
import { Option } from 'commander'
import { LIQUID_COLOURS } from '../../scene/liquid-colours.js'

export function coloursOption(key = ''): Option {
  return new Option('--colours <name>', `colours of the liquid in pictures${key}`).choices([...LIQUID_COLOURS])
}
