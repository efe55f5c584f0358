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
