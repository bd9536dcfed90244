package io.cloudmw.client.edit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeContext;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Edit;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class EditTransferTest {
    /** A source that is slow to open, unless it is closed meanwhile. */
    private static final class SlowSource implements PutSource {
        final CountDownLatch opening = new CountDownLatch(1);
        final CountDownLatch closing = new CountDownLatch(1);
        final List<String> calls = new CopyOnWriteArrayList<>();

        @Override
        public OptionalLong open() {
            opening.countDown();
            try {
                boolean unused = closing.await(300, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            calls.add("opened");
            return OptionalLong.of(1);
        }

        @Override
        public long measure() {
            return 1;
        }

        @Override
        public boolean isStream() {
            return false;
        }

        @Override
        public Part part(ByteRange range) {
            throw new IllegalStateException("nobody asks for it");
        }

        @Override
        public void checkUnchanged() {}

        @Override
        public void close() {
            calls.add("closed");
            closing.countDown();
        }
    }

    @Test
    void fileOpenedWhileEditIsCancelledIsClosed() throws Exception {
        ClientThreads threads = new ClientThreads();
        ClientContext context = FakeContext.of(threads, "127.0.0.1:1", threads.events(), threads.timer());
        try (TransferStarter transfers = new TransferStarter(context)) {
            SlowSource source = new SlowSource();
            CompletableFuture<PutReceipt> edit = transfers.edit(new EditRequest(
                    FilePath.parse("v:/f"),
                    Edit.Kind.APPEND,
                    0,
                    source,
                    TransferListener.NONE,
                    PutTerms.NONE,
                    1 << 20));
            source.opening.await();
            edit.cancel(true);
            await().until(() -> transfers.running() == 0 && source.calls.size() == 2);
            assertThat(source.calls).containsExactly("opened", "closed");
        }
    }
}
