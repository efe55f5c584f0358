import { type StartService, startMicroservice } from '@muster/nest-kit';
import { AppModule } from './app.module';

/** What hosts report about themselves. */
export const startInventory: StartService = (platform, logger) =>
  startMicroservice('inventory', AppModule.on(platform), platform, logger);
