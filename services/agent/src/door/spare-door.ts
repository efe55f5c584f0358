import { DoorUnreachable, type Door } from './door.port';

/** Goes through `first`; when nobody answers there, through `spare`. A refusal is an answer. Nudges come from both. */
export function withSpareDoor(first: Door, spare: Door): Door {
  const through = async <T>(go: (door: Door) => Promise<T>): Promise<T> => {
    try {
      return await go(first);
    } catch (error) {
      if (!(error instanceof DoorUnreachable)) throw error;
      return go(spare);
    }
  };
  return {
    register: (...args) => through((door) => door.register(...args)),
    nextSteps: (...args) => through((door) => door.nextSteps(...args)),
    reply: (...args) => through((door) => door.reply(...args)),
    listen: (onNudge) => {
      const stops = [first.listen(onNudge), spare.listen(onNudge)];
      return () => stops.forEach((stop) => stop());
    },
    close: async () => {
      await Promise.all([first.close(), spare.close()]);
    },
  };
}
