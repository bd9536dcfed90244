/**
 * {@code cloudmw bench switch}: switches share one set of bytes among many clients, which are processes of their own, and an
 * S3 endpoint counts what was asked of it. One thread drives; the processes that read are asked all at once.
 */
@NullMarked
package io.cloudmw.client.cli.lab.fanout;

import org.jspecify.annotations.NullMarked;
