package io.cloudmw.core.testing.consistency;

import io.cloudmw.core.model.file.Change;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A check of linearizability: operations of many clients must look as if each had happened at one moment while it ran.
 * The log of changes gives the order of the writes. So the check only looks for a position of each read: after
 * everything that ended before it began, and before writes that began after its end. Each read gets the lowest
 * possible position: if any would do, these do.
 */
public final class ConsistencyCheck {
    private final List<Change> log;
    private final List<NamesAt> names = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    /** An operation that has been given its position. */
    private record Placed(Operation operation, int position) {}

    private ConsistencyCheck(List<Change> log) {
        this.log = log;
        names.add(NamesAt.NOTHING);
        for (Change change : log) {
            names.add(names.get(names.size() - 1).after(change));
        }
    }

    /**
     * The violations in a history that began with an empty volume; empty, if it is right.
     *
     * @param log all changes
     * @param operations those whose outcome is known
     */
    public static List<String> violations(List<Change> log, List<Operation> operations) {
        ConsistencyCheck check = new ConsistencyCheck(log);
        check.positions();
        check.place(operations);
        return check.violations;
    }

    private void positions() {
        for (int i = 0; i < log.size(); i++) {
            if (log.get(i).position() != i + 1) {
                violations.add("change " + (i + 1) + " of the log has position "
                        + log.get(i).position());
            }
        }
    }

    private void place(List<Operation> operations) {
        List<Operation> byEnd = new ArrayList<>(operations);
        byEnd.sort(Comparator.comparingLong(Operation::ended));
        List<Placed> placed = new ArrayList<>();
        Set<Integer> taken = new HashSet<>();
        for (Operation operation : byEnd) {
            int position = operation.isWrite() ? written(operation, taken) : 0;
            int lowest = lowest(operation, placed);
            if (operation.isWrite()) {
                if (position > 0 && position <= lowest) {
                    violations.add(
                            operation + " has position " + position + ", and what was over before has " + lowest);
                }
            } else {
                position = firstSeen(operation, lowest);
            }
            placed.add(new Placed(operation, position));
        }
    }

    /** The change that this write made; 0: none. */
    private int written(Operation operation, Set<Integer> taken) {
        for (int position = 1; position <= log.size(); position++) {
            if (operation.isIt(log.get(position - 1)) && taken.add(position)) {
                return position;
            }
        }
        violations.add(operation + " was acknowledged and is not in the log");
        return 0;
    }

    /** The lowest position of an operation: that of everything that had ended when it began. */
    private static int lowest(Operation operation, List<Placed> placed) {
        return placed.stream()
                .filter(before -> before.operation().ended() < operation.began())
                .mapToInt(Placed::position)
                .max()
                .orElse(0);
    }

    private int firstSeen(Operation operation, int lowest) {
        for (int position = lowest; position <= log.size(); position++) {
            if (operation.sees(names.get(position))) {
                return position;
            }
        }
        violations.add(operation + " is not what was there at position " + lowest + " or later");
        return lowest;
    }
}
