import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  type JsonValue,
  NoResponder,
  RequestFailed,
  type Requests,
  RequestTimedOut,
} from '@muster/ports';
import { eventually } from './clock-and-ids';

/** Opens two connections to one bus for one test. `settled` resolves when the current subscriptions are active. */
export type OpenRequests = () => Promise<{
  readonly here: Requests;
  readonly there: Requests;
  settled(): Promise<void>;
  close(): Promise<void>;
}>;

const LONG_TIMEOUT_MS = 10_000;
const SHORT_TIMEOUT_MS = 50;

/** Tests the contract of every Requests. Call it at the top level of a spec. */
export const requestsContract = (name: string, open: OpenRequests): void => {
  describe(`${name} meets the contract of requests`, () => {
    let bus: Awaited<ReturnType<OpenRequests>>;
    let subject: string;
    beforeEach(async () => {
      bus = await open();
      subject = `test.v1.${randomUUID()}`;
    });
    afterEach(() => bus.close());

    it.each<[string, JsonValue]>([
      ['an object', { text: 'ünïcödé \u{1F600}', list: [1, null, { a: true }] }],
      ['a string', 'text'],
      ['a number', 0],
      ['false', false],
      ['null', null],
      ['a list', []],
    ])('transports %s in both directions', async (_, body) => {
      bus.there.subscribe(subject, async (message) => message.body);
      await bus.settled();
      expect(await bus.here.request(subject, body, {}, LONG_TIMEOUT_MS)).toEqual(body);
    });

    it('transports the subject and the headers, with names in lower case', async () => {
      const received: IncomingMessage[] = [];
      bus.there.subscribe(`${subject}.*`, async (message) => (received.push(message), null));
      await bus.settled();
      await bus.here.request(
        `${subject}.x`,
        1,
        { 'x-request-id': 'r-1', 'X-Org': 'Acme Ünits; a=b: c' },
        LONG_TIMEOUT_MS,
      );
      expect(received).toEqual([
        { subject: `${subject}.x`, body: 1, headers: { 'x-request-id': 'r-1', 'x-org': 'Acme Ünits; a=b: c' } },
      ]);
    });

    it.each([' alice', 'alice ', '\u00a0alice\t', '"alice"', '"alice', ' "alice" ', '"', '""', ' '])(
      'transports the header %j unchanged',
      async (user) => {
        const received: IncomingMessage['headers'][] = [];
        bus.there.subscribe(subject, async ({ headers }) => (received.push(headers), null));
        await bus.settled();
        await bus.here.request(subject, null, { 'x-user': user }, LONG_TIMEOUT_MS);
        expect(received).toEqual([{ 'x-user': user }]);
      },
    );

    it('throws NoResponder when no service listens on the subject', async () => {
      await expect(bus.here.request(subject, null, {}, LONG_TIMEOUT_MS)).rejects.toThrow(NoResponder);
    });

    it('throws RequestTimedOut when no answer arrives in time', async () => {
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      bus.there.subscribe(subject, () => gate.then(() => 'late'));
      await bus.settled();
      await expect(bus.here.request(subject, null, {}, SHORT_TIMEOUT_MS)).rejects.toThrow(RequestTimedOut);
      release();
    });

    it.each([
      ['rejects', () => Promise.reject(new Error('secret detail'))],
      [
        'throws',
        () => {
          throw new Error('secret detail');
        },
      ],
    ])('reports that the handler %s without its message, and continues', async (_, broken) => {
      let calls = 0;
      bus.there.subscribe(subject, () => (++calls === 1 ? broken() : Promise.resolve('fine')));
      await bus.settled();
      const failure = await bus.here.request(subject, null, {}, LONG_TIMEOUT_MS).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(RequestFailed);
      expect(String(failure)).not.toContain('secret detail');
      expect(await bus.here.request(subject, null, {}, LONG_TIMEOUT_MS)).toBe('fine');
    });

    it('does not answer when a handler returns nothing, so that another subscriber can', async () => {
      bus.there.subscribe(subject, () => undefined);
      bus.there.subscribe(subject, async () => 'answer');
      await bus.settled();
      expect(await bus.here.request(subject, null, {}, LONG_TIMEOUT_MS)).toBe('answer');
    });

    it('answers requests concurrently', async () => {
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      bus.there.subscribe(subject, async (message) => {
        if (message.body === 'slow') await gate;
        return message.body;
      });
      await bus.settled();
      const slow = bus.here.request(subject, 'slow', {}, LONG_TIMEOUT_MS);
      expect(await bus.here.request(subject, 'quick', {}, LONG_TIMEOUT_MS)).toBe('quick');
      release();
      expect(await slow).toBe('slow');
    });

    it('delivers the messages of one publisher in order, without waiting for the handler', async () => {
      const seen: JsonValue[] = [];
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      bus.there.subscribe(subject, (message) => {
        seen.push(message.body);
        return gate;
      });
      await bus.settled();
      for (let n = 0; n < 500; n += 1) bus.here.publish(subject, n);
      await eventually('all messages arrive', () => seen.length >= 500);
      expect(seen).toEqual(Array.from({ length: 500 }, (_, n) => n));
      release();
    });

    it('delivers a copy to every subscriber, and each message to one member of a queue', async () => {
      const counts = { one: 0, two: 0, queued: 0 };
      bus.there.subscribe(subject, () => void (counts.one += 1));
      bus.here.subscribe(subject, () => void (counts.two += 1));
      for (const end of [bus.here, bus.there, bus.there]) {
        end.subscribe(subject, () => void (counts.queued += 1), { queue: 'workers' });
      }
      await bus.settled();
      for (let n = 0; n < 100; n += 1) bus.here.publish(subject, n, { n: String(n) });
      await eventually('all copies arrive', () => counts.one + counts.two + counts.queued >= 300);
      await bus.settled();
      expect(counts).toEqual({ one: 100, two: 100, queued: 100 });
    });

    it('delivers nothing after an unsubscription', async () => {
      const seen: JsonValue[] = [];
      const subscription = bus.there.subscribe(subject, (message) => void seen.push(message.body));
      const other: JsonValue[] = [];
      bus.there.subscribe(subject, (message) => void other.push(message.body));
      await bus.settled();
      bus.here.publish(subject, 'first');
      await eventually('the first message arrives', () => other.length === 1);
      subscription.unsubscribe();
      await bus.settled();
      bus.here.publish(subject, 'second');
      await eventually('the second message arrives', () => other.length === 2);
      expect(seen).toEqual(['first']);
    });

    it('refuses a header that contains a line break', async () => {
      await expect(
        bus.here.request(subject, null, { 'x-user': 'a\r\nx-role: admin' }, LONG_TIMEOUT_MS),
      ).rejects.toThrow(/header/);
      expect(() => bus.here.publish(subject, null, { 'x-user': 'a\nb' })).toThrow(/header/);
    });

    it('answers received requests before it is closed', async () => {
      let taken = false;
      bus.there.subscribe(subject, async () => {
        taken = true;
        await new Promise((resolve) => setTimeout(resolve, SHORT_TIMEOUT_MS));
        return 'answered';
      });
      await bus.settled();
      const answer = bus.here.request(subject, null, {}, LONG_TIMEOUT_MS);
      await eventually('the request was received', () => taken);
      await bus.there.close();
      expect(await answer).toBe('answered');
    });
  });
};
