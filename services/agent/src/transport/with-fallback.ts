import { TransportUnreachable, type Transport } from './transport.port';

/** Goes through `first`; when that does not answer, through `spare`. A refusal is an answer. Nudges come from both. */
export function withFallback(first: Transport, spare: Transport): Transport {
  const through = async <T>(go: (transport: Transport) => Promise<T>): Promise<T> => {
    try {
      return await go(first);
    } catch (error) {
      if (!(error instanceof TransportUnreachable)) throw error;
      return go(spare);
    }
  };
  return {
    register: (...args) => through((transport) => transport.register(...args)),
    nextSteps: (...args) => through((transport) => transport.nextSteps(...args)),
    reply: (...args) => through((transport) => transport.reply(...args)),
    listen: (onNudge) => {
      const stops = [first.listen(onNudge), spare.listen(onNudge)];
      return () => stops.forEach((stop) => stop());
    },
    close: async () => {
      await Promise.all([first.close(), spare.close()]);
    },
  };
}
