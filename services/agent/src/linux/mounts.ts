import type { MachineFiles } from './machine-files';

export interface Mount {
  readonly source: string;
  readonly target: string;
}

export function readMounts(files: MachineFiles): readonly Mount[] {
  return (files.text('/proc/mounts') ?? '').split('\n').flatMap((line) => {
    const [source, target] = line.split(' ').map((word) => word.replace(/\\040/g, ' '));
    return source && target ? [{ source, target }] : [];
  });
}
