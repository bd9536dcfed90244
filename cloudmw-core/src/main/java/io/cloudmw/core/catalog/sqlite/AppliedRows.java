package io.cloudmw.core.catalog.sqlite;

import io.cloudmw.core.catalog.AppliedCalls;
import io.cloudmw.core.catalog.ChangeRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.wire.StoredAnswer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The calls that took effect, with their answers, one row for each. */
final class AppliedRows implements AppliedCalls {
    private final Database database;

    AppliedRows(Database database) {
        this.database = database;
    }

    /** A change, unless a try of the same call made it. */
    static <T> Database.Work<T> once(ChangeRequest request, StoredAnswer<T> form, Database.Work<T> change) {
        if (request.call().isEmpty()) {
            return change;
        }
        CallId call = request.call().get();
        return connection -> {
            Optional<T> answered = answer(connection, call, form);
            if (answered.isPresent()) {
                return answered.get();
            }
            request.requireFresh();
            T answer = change.run(connection);
            Sql.update(
                    connection,
                    "INSERT INTO applied_calls VALUES (?, ?, ?)",
                    call.issuedAtMillis(),
                    call.id().toString(),
                    form.encode(answer));
            return answer;
        };
    }

    private static <T> Optional<T> answer(Connection connection, CallId call, StoredAnswer<T> form)
            throws SQLException, CloudMwException {
        return Sql.first(
                connection,
                row -> form.decode(row.getBytes(1)),
                "SELECT answer FROM applied_calls WHERE issued_at = ? AND id = ?",
                call.issuedAtMillis(),
                call.id().toString());
    }

    @Override
    public int prune(long issuedBeforeMillis) throws CloudMwException {
        return database.write(connection -> Sql.update(
                connection,
                "DELETE FROM applied_calls WHERE (issued_at, id) IN (SELECT issued_at, id FROM applied_calls"
                        + " WHERE issued_at < ? ORDER BY issued_at, id LIMIT ?)",
                issuedBeforeMillis,
                PRUNE_BATCH));
    }
}
