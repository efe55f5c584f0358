import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonLengthOf } from '@muster/ports';
import type { Msg } from 'nats';
import { MessageHandler, MESSAGES_PER_TURN } from './message-handler';

describe('messages that arrive in one turn', () => {
  const messages = Array.from({ length: 3 * MESSAGES_PER_TURN }, (_, number) => number);
  const messageOf = (body: number): Msg =>
    ({ subject: 's', data: Buffer.from(String(body)), headers: undefined, reply: '' }) as unknown as Msg;

  it('are handled in order and in several turns, with other work between them', async () => {
    const handler = new MessageHandler(() => undefined);
    const handled: unknown[] = [];
    const handledPerTurn: number[] = [];
    for (const message of messages)
      handler.handle(messageOf(message), ({ body }) => {
        handled.push(body);
        return undefined;
      });
    while (handled.length < messages.length) {
      handledPerTurn.push(handled.length - handledPerTurn.reduce((sum, one) => sum + one, 0));
      await nextTurn();
    }
    expect(handled).toEqual(messages);
    expect(handledPerTurn).toEqual([MESSAGES_PER_TURN, MESSAGES_PER_TURN]);
  });

  it('are handled in fewer turns when many wait, so that long turns do not delay them for minutes', async () => {
    const handler = new MessageHandler(() => undefined);
    const many = 100 * MESSAGES_PER_TURN;
    let handled = 0;
    for (let message = 0; message < many; message += 1)
      handler.handle(messageOf(message), () => {
        handled += 1;
        return undefined;
      });
    const perTurn = [handled];
    while (handled < many) {
      const before = handled;
      await nextTurn();
      perTurn.push(handled - before);
    }
    expect(perTurn.length).toBeLessThan(30);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(many / 8);
  });

  it('contain the length of a publication, by which its consumers limit what they keep', async () => {
    const handler = new MessageHandler(() => undefined);
    const lengths: number[] = [];
    for (const body of ['{"a":"é"}', '1', '']) {
      const message = { subject: 's', data: Buffer.from(body), headers: undefined, reply: '' } as unknown as Msg;
      handler.handle(message, (received) => void lengths.push(jsonLengthOf(received.body)));
    }
    await handler.idle();
    expect(lengths).toEqual([10, 0, 0]);
  });

  it('are all handled before the handler is idle', async () => {
    const handler = new MessageHandler(() => undefined);
    let ended = 0;
    for (const message of messages)
      handler.handle(messageOf(message), async () => {
        await nextTurn();
        ended += 1;
      });
    await handler.idle();
    expect(ended).toBe(messages.length);
  });
});
