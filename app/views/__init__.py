"""The views: each is given results and shows them; none of them simulates anything."""
