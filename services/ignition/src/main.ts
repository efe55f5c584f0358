import 'reflect-metadata';
import { type StartService, startMicroservice } from '@muster/nest-kit';
import { AppModule } from './app.module';

/** Starts the ignition service: discovery documents, installation artifacts and the credentials of new clusters. */
export const startIgnition: StartService = (platform, logger) =>
  startMicroservice('ignition', AppModule.on(platform), platform, logger);
