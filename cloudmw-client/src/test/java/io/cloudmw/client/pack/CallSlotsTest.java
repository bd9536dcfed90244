package io.cloudmw.client.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CallSlotsTest {
    private final CallSlots slots = new CallSlots(1);

    @Test
    void workThatThrowsFailsAndFreesItsSlot() {
        CompletableFuture<String> thrown = slots.run(() -> {
            throw new IllegalStateException("on purpose");
        });
        CompletableFuture<String> next = slots.run(() -> CompletableFuture.completedFuture("next"));

        assertThat(thrown).isCompletedExceptionally();
        assertThat(next).isCompletedWithValue("next");
    }

    @Test
    void muchWorkThatIsDoneAtOnceNeedsNoDeepStack() {
        CompletableFuture<String> first = new CompletableFuture<>();
        List<CompletableFuture<String>> all = new ArrayList<>();
        all.add(slots.run(() -> first));
        for (int i = 0; i < 200_000; i++) {
            all.add(slots.run(() -> CompletableFuture.completedFuture("done")));
        }

        first.complete("done");

        assertThat(all).allSatisfy(result -> assertThat(result).isCompletedWithValue("done"));
    }
}
