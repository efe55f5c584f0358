import { keepJson } from '@muster/nest-kit';
import { FairLimit, presentSteps, WAITING_WRITES, writeSteps } from './agent-requests';

const EMPTY = { instructions: [], nextInstructionSeconds: 60, postStepAction: '', holdSeconds: 0 };

describe('presentSteps', () => {
  it('returns post_step_action continue when the service sends none', () => {
    expect(presentSteps(EMPTY)).toEqual({
      next_instruction_seconds: 60,
      post_step_action: 'continue',
      instructions: null,
    });
  });
});

describe('writeSteps', () => {
  const steps = {
    ...EMPTY,
    instructions: [
      { stepType: 'inventory', stepId: 'inventory-1', args: [] },
      { stepType: 'connectivity-check', stepId: 'connectivity-check-2', args: ['[{"name":"é"}]'] },
      { stepType: 'upgrade-agent', stepId: '', args: ['{"a":1}', 'b'] },
    ],
  };

  it.each([
    ['no steps', EMPTY],
    ['steps', steps],
  ])('writes %s as JSON', (_, response) => {
    expect(writeSteps(response).toString()).toBe(JSON.stringify(presentSteps(response)));
  });

  it('copies the JSON of an argument that the service has written', () => {
    const response = { ...steps };
    keepJson(response, new Map([['connectivity-check-2', JSON.stringify('[{"name":"é"}]')]]));
    expect(writeSteps(response).toString()).toBe(JSON.stringify(presentSteps(steps)));
    keepJson(response, new Map([['connectivity-check-2', '"copied"']]));
    expect(writeSteps(response).toString()).toContain('"step_id":"connectivity-check-2","args":["copied"]}');
  });
});

const A = { group: 'a', member: 'a1', characters: 1 };

describe('FairLimit', () => {
  /** Tasks that end when the test ends them. */
  function startTasks(limit: FairLimit, names: readonly string[]) {
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const results = names.map((name) =>
      limit.run({ group: name.charAt(0), member: name, characters: 1 }, () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    );
    const end = async (name: string): Promise<void> => {
      ends.get(name)?.();
      await results[names.indexOf(name)];
    };
    return { started, end, results };
  }

  it('runs as many concurrent tasks as its limit', async () => {
    const { started, end, results } = startTasks(new FairLimit(2), ['a1', 'a2', 'a3', 'a4']);
    expect(started).toEqual(['a1', 'a2']);
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'a3']);
    await end('a1');
    await end('a3');
    await end('a4');
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('lets the keys take turns', async () => {
    const { started, end } = startTasks(new FairLimit(1), ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await end(name);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('starts the next task after one that failed', async () => {
    const limit = new FairLimit(1);
    const failed = limit.run(A, () => Promise.reject(new Error('no')));
    const next = limit.run(A, () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await limit.run({ ...A, group: 'b' }, () => Promise.resolve('idle'))).toBe('idle');
  });
});

describe('waiting tasks', () => {
  const MANY = { tasks: 100, characters: 100 };
  /** A limit whose one running task ends when the test ends it. */
  function busyLimit(limits: Partial<typeof WAITING_WRITES>) {
    const limit = new FairLimit(1, { member: MANY, group: MANY, all: MANY, ...limits });
    let end = (): void => undefined;
    const first = limit.run(A, () => new Promise<void>((resolve) => (end = resolve)));
    const endAll = async (): Promise<void> => {
      end();
      await first;
    };
    return { limit, endAll };
  }
  const done = async (): Promise<string> => 'done';
  const other = { group: 'b', member: 'b1', characters: 1 };

  it.each([
    ['member', 'of this host', A],
    ['group', 'of this infra-env', { ...A, member: 'a2' }],
    ['all', 'of all hosts', other],
  ] as const)(
    'are refused above the limit of their %s, and accepted again once they ended',
    async (scope, of, next) => {
      const { limit, endAll } = busyLimit({ [scope]: { tasks: 2, characters: 100 } });
      const accepted = [limit.run(A, done), limit.run(A, done)];
      await expect(limit.run(next, done)).rejects.toMatchObject({
        refusal: { code: 'busy', reason: expect.stringContaining(of) as string },
      });
      if (scope !== 'all') accepted.push(limit.run(other, done));
      await endAll();
      expect(new Set(await Promise.all(accepted))).toEqual(new Set(['done']));
      expect(await limit.run(next, done)).toBe('done');
    },
  );

  it('are refused above the limit of characters', async () => {
    const { limit, endAll } = busyLimit({ member: { tasks: 100, characters: 10 } });
    const accepted = [limit.run({ ...A, characters: 9 }, done), limit.run({ ...A, characters: 1 }, done)];
    await expect(limit.run(A, done)).rejects.toMatchObject({ refusal: { code: 'busy' } });
    await endAll();
    await Promise.all(accepted);
    expect(await limit.run({ ...A, characters: 11 }, done)).toBe('done');
  });

  it('of 10,000 hosts of one infra-env are accepted, two small writes of each', async () => {
    const { limit, endAll } = busyLimit(WAITING_WRITES);
    const hosts = Array.from({ length: 10_000 }, (_, n) => ({ group: 'a', member: `h${n}`, characters: 2_048 }));
    const accepted = [...hosts, ...hosts].map((host) => limit.run(host, done));
    await endAll();
    expect((await Promise.all(accepted)).length).toBe(20_000);
  });
});
