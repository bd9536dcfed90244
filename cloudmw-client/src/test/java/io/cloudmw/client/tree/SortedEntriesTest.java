package io.cloudmw.client.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The order of a walk through a local directory. */
final class SortedEntriesTest {
    /** A character that comes behind the next one in UTF-8, and before it in UTF-16. */
    private static final String SUPPLEMENTARY = "\ud83d\ude00";

    private static final String FULL_WIDTH = "\uff5e";

    private static List<String> sorted(List<String> names, NameStyle style, int window) {
        List<String> found = new ArrayList<>();
        new SortedEntries(names.stream().map(SortedEntriesTest::path).iterator(), style, window)
                .forEachRemaining(path -> found.add(path.getFileName().toString()));
        return found;
    }

    private static Path path(String name) {
        return Path.of("directory", name);
    }

    @Test
    void entriesComeInTheOrderOfUtf8WhateverTheirFirstOrder() {
        List<String> expected = List.of("10", "9", "B", "a", "a.txt", "ab", "\u00e9", FULL_WIDTH, SUPPLEMENTARY);
        for (int seed = 0; seed < 20; seed++) {
            List<String> scrambled = new ArrayList<>(expected);
            Collections.shuffle(scrambled, new Random(seed));
            assertThat(sorted(scrambled, NameStyle.PLAIN, 100))
                    .as("seed %d", seed)
                    .isEqualTo(expected);
        }
    }

    @Test
    void namesAreComparedByTheirUtf8() {
        assertThat(SortedEntries.compareNames(FULL_WIDTH, SUPPLEMENTARY)).isNegative();
        assertThat(SortedEntries.compareNames("a", "B")).isPositive();
        assertThat(SortedEntries.compareNames("a", "a")).isZero();
    }

    /** An escaped name begins with a percent sign. */
    @Test
    void namesInTheVolumeDecide() {
        assertThat(sorted(List.of("$", "a", "\u0001", "&"), NameStyle.ESCAPED, 100))
                .containsExactly("$", "\u0001", "&", "a");
    }

    @Test
    void entryWithoutANameInAVolumeHasAPlaceToo() {
        assertThat(sorted(List.of("b", "a\u0001", "a"), NameStyle.PLAIN, 100)).containsExactly("a", "a\u0001", "b");
    }

    @Test
    void entriesInMemoryAreLimited() {
        List<Path> scrambled = new ArrayList<>(
                IntStream.range(0, 10).mapToObj(i -> path("f" + i)).toList());
        Collections.reverse(scrambled);
        AtomicInteger taken = new AtomicInteger();
        Iterator<Path> counted =
                scrambled.stream().peek(path -> taken.incrementAndGet()).iterator();
        SortedEntries entries = new SortedEntries(counted, NameStyle.PLAIN, 4);
        List<String> found = new ArrayList<>();
        while (entries.hasNext()) {
            found.add(entries.next().getFileName().toString());
            assertThat(taken.get() - found.size()).isLessThanOrEqualTo(4);
        }
        assertThat(found).containsExactly("f6", "f7", "f8", "f9", "f2", "f3", "f4", "f5", "f0", "f1");
        assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
    }
}
