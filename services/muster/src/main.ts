import 'reflect-metadata';
import { type Environment, readSettings, unknownSettings } from '@muster/nest-kit';
import { ConsoleLogger } from '@nestjs/common';
import { startAlone, startEmbedded } from './embedded';
import { SERVICES, type StartableService } from './services';

/** `main.js` starts everything in this process, `main.js <service>` one service alone. */
async function main(args: readonly string[], environment: Environment): Promise<void> {
  const [name] = args;
  const startedAt = performance.now();
  const logger = new ConsoleLogger({
    prefix: 'muster',
    json: readSettings(environment, (settings) => settings.get('LOG_FORMAT')) === 'json',
    logLevels: ['warn', 'error', 'fatal'],
  });
  if (name !== undefined && !Object.hasOwn(SERVICES, name)) {
    throw new Error(
      `There is no service ${name}. Services: ${Object.keys(SERVICES).join(', ')}; without a name all of them start.`,
    );
  }
  for (const variable of unknownSettings(environment))
    logger.warn(
      `The environment sets ${variable}, which is not a setting. The settings are listed in docs/reference/settings.md.`,
    );
  // A rejection that nothing handles is a defect: the process ends with its reason, and a supervisor starts it again.
  process.on('unhandledRejection', (reason) => {
    console.error(
      `muster: unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    );
    process.exit(1);
  });
  const muster =
    name === undefined
      ? await startEmbedded(environment, logger)
      : await startAlone(name as StartableService, environment, logger);

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

main(process.argv.slice(2), process.env).catch((error: unknown) => {
  console.error(`muster: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
