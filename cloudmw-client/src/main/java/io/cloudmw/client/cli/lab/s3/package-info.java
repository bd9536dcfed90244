/**
 * The lab's side of the S3 protocol: {@link io.cloudmw.client.cli.lab.s3.ShapingProxy} makes any S3 endpoint answer as a
 * law says and counts what crosses; {@link io.cloudmw.client.cli.lab.s3.BucketServer} is an endpoint where there is no
 * other. Both listen on loopback only. Proxied connections live on Netty's event loops, the server's requests on a
 * bounded pool of blocking threads.
 */
@NullMarked
package io.cloudmw.client.cli.lab.s3;

import org.jspecify.annotations.NullMarked;
