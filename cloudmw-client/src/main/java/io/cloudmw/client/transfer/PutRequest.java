package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.FilePath;

/**
 * What is to be written where.
 *
 * @param source closed by the put
 */
public record PutRequest(FilePath file, PutSource source, TransferListener listener) {}
