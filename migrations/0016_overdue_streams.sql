-- When the hooks were told that the stream is overdue; NULL while it is in time. A service that starts does not tell them again.
ALTER TABLE _garner_schedules ADD COLUMN overdue_told_at TEXT;
