import type { HttpRefused } from '@muster/host-api';
import { controllerWith, refusal } from './controller.fixture.spec';
import { applyOlmManifests } from './operators';

describe('the manifests of operators', () => {
  /** Applies manifests whose download ends with one error after the other, and then with an empty list. */
  const applyAfter = async (...errors: HttpRefused[]) => {
    const { controller, notes, signal } = controllerWith(
      new Map(),
      {
        cluster: async () => ({ status: 'finalizing' }),
        clusterFile: async () => {
          const error = errors.shift();
          if (error) throw error;
          return Buffer.from('null');
        },
      },
      { rounds: 5 },
    );
    await applyOlmManifests(controller, signal);
    return { notes, remaining: errors.length };
  };

  it('are not applied when the service has none', async () => {
    expect(await applyAfter(refusal(404), refusal(500))).toEqual({ notes: [], remaining: 1 });
  });

  it('are downloaded again after an error', async () => {
    const { notes, remaining } = await applyAfter(refusal(500, 'broken'), refusal(403, 'not yours'));
    expect(remaining).toBe(0);
    expect(notes).toEqual([expect.stringContaining('broken'), expect.stringContaining('not yours')]);
  });
});
