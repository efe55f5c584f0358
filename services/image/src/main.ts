import {
  closePromptly,
  isAllowedOrigin,
  portOf,
  RequestMetrics,
  SECURITY_HEADERS,
  type StartService,
} from '@muster/nest-kit';
import { urlHost } from '@muster/schema';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import 'reflect-metadata';
import { AppModule } from './app.module';
import { readConfig } from './config';
import { createImageServer, CROSS_ORIGIN, openPlainTransport } from './http/image-server';

/**
 * Starts the image service, which creates boot images while they are sent. It has HTTP and HTTPS endpoints and none on
 * the bus.
 */
export const startImage: StartService = async (platform, logger) => {
  const config = readConfig(platform.environment);
  const { allowedDomains, plainPort, tls } = config;
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.on(platform, config),
    createImageServer(config),
    {
      logger,
      abortOnError: false,
    },
  );
  if (allowedDomains.length > 0)
    app.enableCors({
      ...CROSS_ORIGIN,
      origin: (origin: string | undefined, decide: (error: Error | null, isAllowed: boolean) => void) =>
        decide(null, isAllowedOrigin(origin ?? '', allowedDomains)),
    });
  const fastify = app.getHttpAdapter().getInstance();
  closePromptly(fastify);
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(SECURITY_HEADERS);
    done();
  });
  app.get(RequestMetrics).countRequests(fastify);
  // Without certificates the endpoint without TLS is the only one, as in assisted-image-service.
  const firstPort = tls ? config.port : (plainPort ?? config.port);
  await app.listen(firstPort, config.host);
  const port = portOf(app.getHttpServer());
  const endpoints = [`${tls ? 'https' : 'http'}://${urlHost(config.host)}:${port}`];
  // The first request of a process is slow, so the service sends it itself.
  if (!tls)
    void fetch(`${endpoints[0]}/live`.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')).catch(
      () => undefined,
    );
  const plain =
    tls && plainPort !== undefined
      ? await openPlainTransport((request, response) => fastify.routing(request, response), {
          port: plainPort,
          host: config.host,
          isBesideTls: true,
        })
      : undefined;
  if (plain) endpoints.push(`http://${urlHost(config.host)}:${plain.port}`);
  return {
    name: 'image',
    endpoints,
    close: async () => {
      // Both endpoints wait for their downloads at the same time.
      await Promise.all([plain?.close(), app.close()]);
    },
  };
};
