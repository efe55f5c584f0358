import { recorded } from './recorded-commands.fixture.spec';
import { checkImages } from './service-checks';

it('an image is not pulled when earlier images have used the time, and the reason names the limit', async () => {
  const { lines, run } = recorded({ podman: '', 'podman pull a': { exitCode: 124 } });
  let nowMs = 0;
  const results = await checkImages(
    { images: ['a', 'b'], timeoutSeconds: 60 },
    (program, args, ...more) => {
      if (args[0] === 'pull') nowMs += 60_000;
      return run(program, args, ...more);
    },
    () => nowMs,
    new AbortController().signal,
  );
  expect(results.map(({ name, result, reason }) => [name, result, reason])).toEqual([
    ['a', 'failure', 'not complete after 60 s'],
    ['b', 'failure', 'not pulled, because the images before it used the time limit of 60 s'],
  ]);
  expect(lines).not.toContain('podman pull b');
});

describe('an image that can be pulled', () => {
  const check = (rows: Parameters<typeof recorded>[0]) => {
    const order = { images: ['a'], timeoutSeconds: 60 };
    return checkImages(order, recorded(rows).run, () => 0, new AbortController().signal);
  };

  it.each(['podman images', 'podman image inspect'])('is available although "%s" fails', async (command) => {
    const failing = { exitCode: 125, stderr: 'Error: timed out waiting for the lock of the storage' };
    expect(await check({ podman: '', [command]: failing })).toMatchObject([{ name: 'a', result: 'success' }]);
  });

  it('is missing with the reason of podman when podman cannot pull it either', async () => {
    const failing = { exitCode: 125, stderr: 'Error: mkdir /var/lib/containers: no space left on device' };
    expect(await check({ podman: failing })).toMatchObject([{ result: 'failure', reason: failing.stderr }]);
  });
});
