import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { StartService } from '@muster/nest-kit';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { readConfig } from './config';
import { createImageServer } from './http/image-server';

/** Boot images, made while they are sent. Its door is HTTP; it answers nothing on the bus. */
export const startImage: StartService = async (platform, logger) => {
  const config = readConfig(platform.environment);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.on(platform, config), createImageServer(), {
    logger,
    abortOnError: false,
  });
  await app.listen(config.port, config.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return { name: 'image', doors: [`http://${host}:${port}`], close: () => app.close() };
};
