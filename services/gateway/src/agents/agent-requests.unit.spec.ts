import { keepJson } from '@muster/nest-kit';
import { FairLimit, Groups, presentSteps, writeSteps } from './agent-requests';

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

describe('FairLimit', () => {
  /** Tasks that end when the test ends them. */
  function startTasks(limit: FairLimit, names: readonly string[]) {
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const results = names.map((name) =>
      limit.run(name.charAt(0), () => {
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
    const failed = limit.run('a', () => Promise.reject(new Error('no')));
    const next = limit.run('a', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await limit.run('b', () => Promise.resolve('idle'))).toBe('idle');
  });
});

describe('Groups', () => {
  const LONG_MS = 60_000;
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('starts tasks when their group is complete', async () => {
    const groups = new Groups(2, LONG_MS);
    const started: string[] = [];
    for (const name of ['a', 'b', 'c']) void groups.join().then(() => started.push(name));
    await settled();
    expect(started).toEqual(['a', 'b']);
    groups.start();
    await settled();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('starts a task without company after the maximum time, and so the next one', async () => {
    const groups = new Groups(2, 1);
    await expect(groups.join()).resolves.toBeUndefined();
    await expect(groups.join()).resolves.toBeUndefined();
  });
});
