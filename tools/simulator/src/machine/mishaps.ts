import { TransportUnreachable, type Transport } from '@muster/service-agent';
import type { Random } from '../random';

/** Faults that happen to a machine. Each is optional and follows from the seed of the machine. */
export interface Mishaps {
  /** Share of step replies that are lost on the way, 0 to 1. */
  readonly lostReplies?: number;
  /** The machine restarts from the discovery image while it writes its disk. Happens once. */
  readonly restartsWhileWriting?: boolean;
  /** Everything that the machine does by itself takes this many times longer. */
  readonly slowness?: number;
}

/** A transport on which some replies never arrive. */
export function loseReplies(transport: Transport, share: number, random: Random): Transport {
  return {
    ...transport,
    reply: async (reply, signal) => {
      if (random.next() < share) throw new TransportUnreachable('The reply was lost on the way (simulated).');
      await transport.reply(reply, signal);
    },
  };
}
