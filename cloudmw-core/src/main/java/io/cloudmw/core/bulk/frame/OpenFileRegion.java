package io.cloudmw.core.bulk.frame;

import io.netty.channel.DefaultFileRegion;
import java.nio.channels.FileChannel;

/** A range of a file that stays open after the range was sent: many frames share one channel. */
final class OpenFileRegion extends DefaultFileRegion {
    OpenFileRegion(FileChannel file, long position, long count) {
        super(file, position, count);
    }

    @Override
    protected void deallocate() {
        // The parent would close the file, which belongs to the caller.
    }
}
