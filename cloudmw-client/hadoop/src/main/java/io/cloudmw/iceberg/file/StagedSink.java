package io.cloudmw.iceberg.file;

import io.cloudmw.client.FileOperations;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.connector.CallResults;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A sink that keeps its bytes in a temporary file, and stores them at the commit. */
final class StagedSink implements FileContentSink {
    private final FileOperations files;
    private final FilePath file;
    private final PutOptions options;
    private final long limitBytes;
    private final Path staged;
    private final OutputStream stream;
    private long sizeBytes;

    /** @param limitBytes the largest number of bytes that are kept */
    StagedSink(FileOperations files, FilePath file, PutOptions options, long limitBytes) throws IOException {
        this.files = files;
        this.file = file;
        this.options = options;
        this.limitBytes = limitBytes;
        this.staged = Files.createTempFile("cloudmw-", ".staged");
        this.stream = Files.newOutputStream(staged);
    }

    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        if (sizeBytes + count > limitBytes) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    file + ": more than " + limitBytes
                            + " bytes are staged, because too many files are being written at"
                            + " once (close some of them first, or raise cloudmw.write.streams or cloudmw.write.staging)");
        }
        stream.write(source, offset, count);
        sizeBytes += count;
    }

    @Override
    public void commit() throws IOException {
        try {
            stream.close();
            PutReceipt unused = CallResults.await(files.put(staged, file, options));
        } finally {
            abort();
        }
    }

    @Override
    public void abort() {
        try {
            stream.close();
            Files.deleteIfExists(staged);
        } catch (IOException e) {
            staged.toFile().deleteOnExit();
        }
    }
}
