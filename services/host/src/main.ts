import { errorMessage } from '@muster/schema';
import { runHostProgram } from './host-program';

runHostProgram(process.argv.slice(2)).then(
  (exitCode) => (process.exitCode = exitCode),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exitCode = 1;
  },
);
