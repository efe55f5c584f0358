export * from '@muster/versions';
