import { type StartService, startMicroservice } from '@muster/nest-kit';
import { AppModule } from './app.module';

/** Every pre-flight rule, its outcome and its history. */
export const startValidation: StartService = (platform, logger) =>
  startMicroservice('validation', AppModule.on(platform), platform, logger);
