import type { ImageAvailability } from '../steps/step-work';
import { execute, type RunCommand } from './command';

const MB = 1_000_000;

/** Pulls each image with podman, all within one time limit, and reports size and speed. @throws ProgramMissing without podman */
export async function checkImages(
  { images, timeoutSeconds }: { readonly images: readonly string[]; readonly timeoutSeconds: number },
  run: RunCommand,
  nowMs: () => number,
  signal: AbortSignal,
): Promise<readonly ImageAvailability[]> {
  const deadlineMs = nowMs() + timeoutSeconds * 1000;
  const results: ImageAvailability[] = [];
  for (const name of images) results.push(await checkImage(name, deadlineMs));
  return results;

  async function checkImage(name: string, untilMs: number): Promise<ImageAvailability> {
    const present = (await execute(run, 'podman', ['images', '--quiet', name], signal)).trim() !== '';
    const startedMs = nowMs();
    const timeoutMs = Math.max(untilMs - startedMs, 1);
    const { exitCode } = await run('podman', ['pull', name], signal, { timeoutMs });
    const time = (nowMs() - startedMs) / 1000;
    const failed = { name, size_bytes: 0, time, download_rate: 0, result: 'failure' } as const;
    if (exitCode !== 0) return failed;
    // The speed of an image that was here already would say nothing.
    if (present) return { ...failed, result: 'success' };
    const text = await execute(run, 'podman', ['image', 'inspect', '--format={{.Size}}', name], signal);
    const size_bytes = Number(text.trim()) || 0;
    return { name, size_bytes, time, download_rate: time > 0 ? size_bytes / time / MB : 0, result: 'success' };
  }
}
