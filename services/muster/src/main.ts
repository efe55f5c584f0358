import 'reflect-metadata';
import { ConsoleLogger } from '@nestjs/common';
import { startAlone, startEmbedded } from './embedded';
import { SERVICES, type StartableService } from './services';

/** `main.js` starts everything in this process, `main.js <service>` one service alone. */
async function main(args: readonly string[]): Promise<void> {
  const [name] = args;
  const startedAt = performance.now();
  const logger = new ConsoleLogger({
    prefix: 'muster',
    json: process.env.LOG_FORMAT === 'json',
    logLevels: ['warn', 'error', 'fatal'],
  });
  if (name !== undefined && !Object.hasOwn(SERVICES, name)) {
    throw new Error(
      `There is no service ${name}. Services: ${Object.keys(SERVICES).join(', ')}; without a name all of them start.`,
    );
  }
  const muster =
    name === undefined
      ? await startEmbedded(process.env, logger)
      : await startAlone(name as StartableService, process.env, logger);

  // A reaction that nobody waited for must not take everybody down; it is told and the next fact brings it back.
  process.on('unhandledRejection', (reason) =>
    logger.error(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)),
  );
  let isClosing = false;
  const close = (): void => {
    if (isClosing) return;
    isClosing = true;
    void muster.close().finally(() => process.exit(0));
  };
  process.once('SIGINT', close);
  process.once('SIGTERM', close);

  console.log(`muster: ${name ?? 'all services'} started in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  for (const service of muster.services)
    for (const endpoint of service.endpoints) console.log(`muster: ${service.name} on ${endpoint}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`muster: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
