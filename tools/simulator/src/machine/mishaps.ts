import { DoorUnreachable, type Door } from '@muster/service-agent';
import type { Random } from '../random';

/** Things that go wrong with a machine by itself; each can be left out, and all follow from the machine's seed. */
export interface Mishaps {
  /** Share of step replies that are lost on the way, 0 to 1. */
  readonly lostReplies?: number;
  /** The machine starts anew, from the discovery image, while it writes its disk. Happens once. */
  readonly restartsWhileWriting?: boolean;
  /** Everything that the machine does by itself takes this many times longer. */
  readonly slowness?: number;
}

/** A door on which some replies never arrive. */
export function loseReplies(door: Door, share: number, random: Random): Door {
  return {
    ...door,
    reply: async (reply, signal) => {
      if (random.next() < share) throw new DoorUnreachable('The reply was lost on the way (simulated).');
      await door.reply(reply, signal);
    },
  };
}
