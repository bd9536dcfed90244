/** The lab's proxy and buckets, over real sockets. */
@NullMarked
package io.cloudmw.client.cli.lab.s3;

import org.jspecify.annotations.NullMarked;
