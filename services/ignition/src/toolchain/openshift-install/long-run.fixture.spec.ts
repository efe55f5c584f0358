import { runProgram } from './run-program';

/** A service that runs an installer which takes ten minutes. Argument: the file to which the installer writes its process id. */
const [, , mark = ''] = process.argv;
const GIBIBYTE = 1024 ** 3;

void runProgram({
  file: '/bin/sh',
  args: ['-c', 'echo $$ >"$0"; exec sleep 600', mark],
  folder: '/',
  environment: { PATH: process.env.PATH ?? '' },
  timeoutMs: 600_000,
  limits: { cpuSeconds: 600, memoryBytes: GIBIBYTE, fileBytes: GIBIBYTE, outputBytes: GIBIBYTE },
});
