import type { Bench, Measurement } from '../measurement';
import { countCalls, type CountedCall } from './count-calls';

const HOSTS = 20;
const QUICK_HOSTS = 3;
/** Round trips to the store (appends and reads) that the design allows. */
const ROUND_TRIPS_MAX: { readonly [what: string]: number } = {
  registration: 3,
  'inventory, changed': 3,
  'inventory, unchanged': 0,
};

/** Counts instead of times: they do not depend on the machine. */
export const counts: Bench = {
  name: 'counts',
  about: 'events, round trips, messages, bytes and JSON texts per call, reactions included',
  run: async (bed) => {
    const counted = await countCalls(bed.directory('counts'), bed.isQuick ? QUICK_HOSTS : HOSTS);
    return counted.map(toMeasurement);
  },
};

const oneDigit = (value: number): string => value.toFixed(1).replace('.0', '');

function toMeasurement({ what, counts: found }: CountedCall): Measurement {
  const { events, appends, reads, messages, eventBytes, parses, stringifications, reactions } = found;
  const allowed = ROUND_TRIPS_MAX[what];
  return {
    what: `counts per ${what}`,
    measured: [
      `${oneDigit(events)} events (${oneDigit(eventBytes / 1_024)} KiB)`,
      `${oneDigit(appends)} appends`,
      `${oneDigit(reads)} reads`,
      `${oneDigit(messages)} messages`,
      `${oneDigit(parses)} parses`,
      `${oneDigit(stringifications)} stringifications`,
      `${oneDigit(reactions)} reactions`,
    ].join(', '),
    budget: allowed === undefined ? '' : `round trips ≤ ${allowed}`,
  };
}
